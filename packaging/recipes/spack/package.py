# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Summand(CMakePackage):
    """Reductions across MPI processes: sums with the same bits on any number of processes,
    collectives that say which bits they promise, sums of outer products, products of
    distributed matrices. A command serves MPI programs as they are."""

    homepage = "@HOMEPAGE@"
    url = "@URL@"
    test_requires_compiler = True

    maintainers("@FORGE_NAME@")

    license("BSD-3-Clause", checked_by="@FORGE_NAME@")

    version("@VERSION@", sha256="@SHA256@")

    variant("fortran", default=True, description="Build the modules for Fortran")
    variant("command", default=True, description="Build the commands, their manual and the shim")
    variant("blas", default=True, description="Use a BLAS for local products of matrices")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.16:", type="build")
    depends_on("gmake", type=("build", "test"))
    depends_on("pkgconfig", type=("build", "test"))
    depends_on("mpi@3:")
    depends_on("blas", when="+blas")
    depends_on("jansson@2.13:", when="+command")
    depends_on("zlib-api", when="+command")

    requires("platform=linux", msg="Summand runs on Linux only")

    def cmake_args(self):
        blas = self.spec["blas"].libs[0] if self.spec.satisfies("+blas") else "OFF"
        return [
            self.define("SUMMAND_TESTS", False),
            self.define("SUMMAND_UNINSTALL", False),
            self.define_from_variant("SUMMAND_COMMAND", "command"),
            self.define_from_variant("SUMMAND_FORTRAN", "fortran"),
            self.define("SUMMAND_BLAS", blas),
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
        ]

    @run_after("install")
    def keep_examples(self):
        cache_extra_test_sources(self, "examples")

    def test_example(self):
        """build an example with the installed library and run it on 3 ranks"""
        mpi = self.spec["mpi"]
        pkg_config = ":".join(join_path(self.prefix, lib, "pkgconfig") for lib in ("lib", "lib64"))
        with working_dir(self.test_suite.current_test_cache_dir.examples):
            make = which("make", required=True)
            make(
                "check",
                f"MPICC={mpi.mpicc}",
                f"MPIEXEC={join_path(mpi.prefix.bin, 'mpiexec')}",
                extra_env={"PKG_CONFIG_PATH": pkg_config},
            )

    def test_command(self):
        """the command says its version"""
        if self.spec.satisfies("~command"):
            raise SkipTest("Built without the command")
        command = which(self.prefix.bin.summand, required=True)
        assert str(self.spec.version) in command("version", output=str.split)
