package org.ustore.ceph;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.ObjectStore;

/**
 * The engine, but every call of the method that system property {@code ustore.test.fault} names throws, in the store or
 * in a collection. Runs inside a ceph-osd; see {@link OsdStartIT}.
 */
public final class FaultyStoreFactory implements StoreFactory {
    private final String faulty = System.getProperty("ustore.test.fault", "");
    private final IdentityHashMap<Object, Object> proxies = new IdentityHashMap<>();
    private final IdentityHashMap<Object, Object> targets = new IdentityHashMap<>();

    @Override
    public ObjectStore create(Path osdData) {
        return (ObjectStore) proxy(new UStoreFactory().create(osdData), ObjectStore.class);
    }

    private synchronized Object proxy(Object target, Class<?> type) {
        return proxies.computeIfAbsent(target, t -> {
            InvocationHandler handler = (_, method, arguments) -> {
                if (method.getName().equals(faulty)) {
                    throw new IllegalStateException("planted in " + faulty);
                }
                return invoke(() -> method.invoke(t, unwrapped(arguments)));
            };
            Object proxy = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
            targets.put(proxy, t);
            return proxy;
        });
    }

    private interface Call {
        @Nullable Object run() throws ReflectiveOperationException;
    }

    private @Nullable Object invoke(Call call) throws Throwable {
        try {
            Object result = call.run();
            return result instanceof Collection c ? proxy(c, Collection.class) : result;
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private synchronized Object @Nullable [] unwrapped(Object @Nullable [] arguments) {
        if (arguments == null) {
            return null;
        }
        Object[] unwrapped = arguments.clone();
        for (int i = 0; i < unwrapped.length; i++) {
            unwrapped[i] = targets.getOrDefault(unwrapped[i], unwrapped[i]);
        }
        return unwrapped;
    }
}
