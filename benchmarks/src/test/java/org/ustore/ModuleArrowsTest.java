package org.ustore;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The arrows between modules: what each may use, and that the product proper needs nothing but the JDK. */
class ModuleArrowsTest {
    private static final String JDK = "java..";
    private static final String ANNOTATIONS = "org.jspecify..";
    private static final String API = "org.ustore.objectstore..";
    private static final String ENGINE = "org.ustore.engine..";
    private static final String BRIDGE = "org.ustore.ceph..";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            // Once packaged, the test kit is a jar like any other.
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("org.ustore");

    @TestFactory
    Stream<DynamicTest> arrowsPointDownwardsOnly() {
        return Stream.of(
                only(API, JDK, ANNOTATIONS, API),
                only(ENGINE, JDK, "com.sun.nio.file..", ANNOTATIONS, API, ENGINE),
                only(BRIDGE, JDK, ANNOTATIONS, API, ENGINE, BRIDGE));
    }

    private static DynamicTest only(String module, String... allowed) {
        ArchRule rule = classes()
                .that()
                .resideInAPackage(module)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed);
        return DynamicTest.dynamicTest(module, () -> rule.check(CLASSES));
    }
}
