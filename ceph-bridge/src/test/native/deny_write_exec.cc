// Runs a command the way systemd's MemoryDenyWriteExecute=true does: no memory may become executable that was writable.
// deny-write-exec NAME=VALUE COMMAND [ARGUMENT...]; exit status 77 if this kernel cannot.

#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

int main(int argc, char** argv) {
  constexpr unsigned long kRefuseExecGain = 1;
  if (argc < 3 || prctl(PR_SET_MDWE, kRefuseExecGain, 0, 0, 0) != 0) return 77;
  putenv(argv[1]);
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 76;
}
