"""Compiles kernels for the guest and for the host, once per source and flags: results are kept by content hash."""

import hashlib
import os
import shutil
import subprocess
import threading

CHIPS = ('gfx1010', 'gfx1013', 'gfx1030')
WAVES = (32, 64)
LEVELS = ('O0', 'O1', 'O3')
LANGUAGE = ['-x', 'cl', '-cl-std=CL2.0', '-cl-no-stdinc', '-ffp-contract=off', '-Werror', '-Wall', '-Wextra', '-Wno-unused-function',
            '-Wno-unused-parameter', '-Wno-psabi', '-Wno-bitwise-op-parentheses', '-Wno-sign-compare']


class BuildError(Exception):
    """A compiler refused; the text is what it said."""


class Combination:
    """One way to compile a kernel for the guest."""

    def __init__(self, chip, wave, level, version):
        self.chip, self.wave, self.level, self.version = chip, wave, level, version

    def __str__(self):
        return f'{self.chip}/wave{self.wave}/{self.level}/v{self.version}'

    def flags(self):
        return ['-target', 'amdgcn-amd-amdhsa', f'-mcpu={self.chip}', '-nogpulib', f'-{self.level}', f'-mcode-object-version={self.version}',
                f'-DCODE_OBJECT_VERSION={self.version}', '-mwavefrontsize64' if self.wave == 64 else '-mno-wavefrontsize64',
                '-cl-fp32-correctly-rounded-divide-sqrt']


def find_tool(*names):
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    raise BuildError(f'none of {", ".join(names)} is installed')


class Builder:
    """Owns the build directory. Objects are named by the hash of everything that goes into them."""

    def __init__(self, directory, *include):
        self.directory, self.include = directory, include
        os.makedirs(directory, exist_ok=True)
        self.clang = find_tool('clang-19')
        self.version = subprocess.run([self.clang, '--version'], capture_output=True, text=True, check=True).stdout
        self.headers = b''.join(self._read(os.path.join(folder, name)) for folder in include for name in sorted(os.listdir(folder)) if name.endswith('.h'))
        self.lock, self.busy = threading.Lock(), {}
        self.compiled, self.made = 0, []

    @staticmethod
    def _read(path):
        with open(path, 'rb') as file:
            return file.read()

    def _once(self, key, make, suffix):
        """The file that `make` writes, made by one thread only."""
        path = os.path.join(self.directory, hashlib.sha256(key).hexdigest()[:32] + suffix)
        with self.lock:
            own = self.busy.setdefault(path, threading.Lock())
        with own:
            if not os.path.exists(path):
                partial = f'{path}.{os.getpid()}'
                make(partial)
                os.replace(partial, path)
                self.compiled += 1
                self.made.append(path)
        return path

    def forget(self):
        """Removes what this run compiled: programs that nobody will compile again."""
        for path in self.made:
            os.unlink(path)
        self.made.clear()

    def _compile(self, source, flags, suffix, libraries=()):
        # The include folders are named by their place, their contents by their hash.
        command = [self.clang, *LANGUAGE, *flags]
        key = '\0'.join([*command, *libraries]).encode() + self.version.encode() + self.headers + self._read(source)

        def make(target):
            done = subprocess.run([*command, *(f'-I{folder}' for folder in self.include), source, '-o', target, *libraries], capture_output=True, text=True)
            if done.returncode:
                raise BuildError(done.stderr.strip())
        return self._once(key, make, suffix)

    def guest(self, source, combination):
        return self._compile(source, combination.flags(), '.co')

    def host(self, source, wave):
        return self._compile(source, ['-O1', '-fPIC', '-shared', '-nostartfiles', f'-DHOST_WAVE={wave}'], '.so', ['-lm'])

    def host_runner(self, source):
        compiler = find_tool('gcc', 'cc', self.clang)
        flags = ['-std=gnu17', '-O2', '-Wall', '-Wextra', '-Werror', '-rdynamic']
        key = '\0'.join([compiler, *flags]).encode() + self._read(source)

        def make(target):
            done = subprocess.run([compiler, *flags, source, '-o', target, '-ldl', '-lm'], capture_output=True, text=True)
            if done.returncode:
                raise BuildError(done.stderr.strip())
        return self._once(key, make, '.host')


def all_combinations(shift):
    """The whole cross; one in three is of the older code object version."""
    return [Combination(chip, wave, level, 4 if (n + shift) % 3 == 0 else 5)
            for n, (chip, wave, level) in enumerate((c, w, o) for c in CHIPS for w in WAVES for o in LEVELS)]


def rotating_combinations(turn):
    """Three for a kernel: every chip and every level. Six turns in a row cover all eighteen."""
    return [Combination(chip, WAVES[(turn // 3 + n) % 2], LEVELS[(turn + n) % 3], 4 if (turn + n) % 4 == 0 else 5) for n, chip in enumerate(CHIPS)]
