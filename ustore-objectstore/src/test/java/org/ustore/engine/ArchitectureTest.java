package org.ustore.engine;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows between the engine's packages point downwards only. */
final class ArchitectureTest {
    @Test
    void packagesUseOnlyThoseBelow() {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("org.ustore.engine");
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("door")
                .definedBy("org.ustore.engine")
                .layer("store")
                .definedBy("org.ustore.engine.store..")
                .layer("shard")
                .definedBy("org.ustore.engine.shard..")
                .layer("meta")
                .definedBy("org.ustore.engine.meta..")
                .layer("container")
                .definedBy("org.ustore.engine.container..")
                .layer("space")
                .definedBy("org.ustore.engine.space..")
                .layer("device")
                .definedBy("org.ustore.engine.device..")
                .whereLayer("door")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("store")
                .mayOnlyBeAccessedByLayers("door")
                .whereLayer("shard")
                .mayOnlyBeAccessedByLayers("door", "store")
                .whereLayer("meta")
                .mayOnlyBeAccessedByLayers("store", "shard")
                .whereLayer("container")
                .mayOnlyBeAccessedByLayers("store", "shard")
                .whereLayer("space")
                .mayOnlyBeAccessedByLayers("store", "shard")
                .whereLayer("device")
                .mayOnlyBeAccessedByLayers("door", "store", "shard", "meta", "container", "space")
                .check(classes);
    }
}
