package org.ustore.cli;

import java.io.PrintWriter;
import org.ustore.cluster.ClusterException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Entry point of the command line; a new command is one more class in {@code subcommands}. */
@Command(
        name = "ustore",
        description = "UStore: an object store for Ceph OSDs, written in Java.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            ClusterCommand.class,
            TestCommand.class,
            VersionCommand.class,
            CommandLine.HelpCommand.class
        },
        footer = {"", "Start with: ./ustore demo", "More on one command: ./ustore COMMAND --help"})
public final class Main {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private Main() {}

    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Runs one command line and returns its exit code. */
    static int run(String... args) {
        CommandLine line = new CommandLine(new Main())
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(ByteSizeOption.class, ByteSizeOption::parse)
                .setParameterExceptionHandler(Main::usage)
                .setExecutionExceptionHandler((e, command, _) -> failed(e, command));
        addHelp(line);
        return args.length == 0 ? line.execute("help") : line.execute(args);
    }

    private static void addHelp(CommandLine line) {
        OptionSpec.Builder help = OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .type(boolean.class)
                .description("Show this help.");
        line.getCommandSpec().addOption(help.build());
        line.getSubcommands().values().stream()
                .filter(command -> !(command.getCommand() instanceof CommandLine.HelpCommand))
                .forEach(Main::addHelp);
    }

    private static int usage(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("ustore: " + e.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(e, err);
        err.println("next: ./" + command.getCommandSpec().qualifiedName(" ") + " --help");
        return USAGE;
    }

    private static int failed(Exception e, CommandLine command) {
        if (e instanceof ClusterException || e instanceof IllegalArgumentException) {
            command.getErr().println("ustore: " + e.getMessage());
        } else {
            e.printStackTrace(command.getErr());
        }
        return e instanceof IllegalArgumentException ? USAGE : FAILED;
    }
}
