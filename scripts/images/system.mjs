import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nonRoot } from './definitions.mjs';
import { run, tryRun } from './run.mjs';

/** What the C library loads by name when a host or a user is looked up. */
const loadedLater = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];

/**
 * The files that `ldd` names.
 * @param {string} text
 * @returns {string[]} absolute paths
 * @throws naming a library that is not there
 */
export const librariesIn = (text) => {
  const missing = /^\s*(\S+) => not found/m.exec(text)?.[1];
  if (missing !== undefined) throw new Error(`this machine has no ${missing}, which Node needs; install it`);
  return [...text.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x[\da-f]+\)$/gm)].flatMap(([, path]) => path ?? []);
};

/** The first file of each name in what `ldconfig -p` prints. @param {string} text @param {readonly string[]} names */
export const cachedLibraries = (text, names) =>
  names.flatMap((name) => {
    const line = text.split('\n').find((each) => each.trim().startsWith(`${name} `));
    return line?.split(' => ')[1] ?? [];
  });

/** Every library of this machine that a program needs, sorted, as the program looks for them. @param {string} program */
const librariesOf = async (program) => {
  const needed = librariesIn(await run('ldd', [program]));
  const later = cachedLibraries((await tryRun('ldconfig', ['-p'])) ?? '', loadedLater);
  return [...new Set([...needed, ...later])].sort();
};

/**
 * A package of the machine whose files are in an image.
 * @typedef {object} SystemPackage
 * @property {string} name
 * @property {string} version
 * @property {string} architecture as the package manager calls it
 * @property {string} status what the package manager knows of it
 * @property {string} copyright
 */

/** `/lib/x` and `/usr/lib/x` are one file, and the package manager knows it by either. @param {string} path */
const namesOf = (path) => {
  const real = realpathSync(path);
  const short = real.replace(/^\/usr(?=\/lib)/, '');
  return [...new Set([path, real, short, `/usr${short}`])];
};

/** @param {string} path @param {typeof tryRun} ask @returns {Promise<string | undefined>} */
const ownerOf = async (path, ask) => {
  for (const name of namesOf(path)) {
    const line = (await ask('dpkg-query', ['-S', name]))?.split('\n').find((each) => each.endsWith(`: ${name}`));
    if (line !== undefined) return line.slice(0, line.indexOf(': ')).split(',')[0];
  }
  return undefined;
};

/** @param {string} name @param {typeof tryRun} ask @returns {Promise<SystemPackage>} */
const describe = async (name, ask) => {
  const status = (await ask('dpkg-query', ['-s', name])) ?? '';
  const field = (/** @type {string} */ key) => new RegExp(`^${key}: (.*)$`, 'm').exec(status)?.[1] ?? '';
  const bare = field('Package');
  const copyright = `/usr/share/doc/${bare}/copyright`;
  return {
    name: bare,
    version: field('Version'),
    architecture: field('Architecture'),
    status,
    copyright: existsSync(copyright) ? readFileSync(copyright, 'utf8') : '(the machine holds no copyright file)\n',
  };
};

/**
 * The packages that these files of the machine come from, sorted.
 * @param {readonly string[]} files
 * @param {typeof tryRun} ask runs a program of the machine
 * @returns {Promise<SystemPackage[]>}
 * @throws for a file that no package owns: nobody could say which version it is, or under which licence
 */
export const packagesOf = async (files, ask = tryRun) => {
  /** @type {Set<string>} */
  const owners = new Set();
  for (const file of files) {
    const owner = await ownerOf(file, ask);
    if (owner === undefined)
      throw new Error(
        `${file} belongs to no package that dpkg knows; make the images on Debian, or with images/Dockerfile`,
      );
    owners.add(owner);
  }
  const packages = await Promise.all([...owners].map((name) => describe(name, ask)));
  return packages.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/**
 * What the images take from this machine.
 * @typedef {object} System
 * @property {readonly string[]} libraries absolute paths
 * @property {readonly SystemPackage[]} packages what they belong to
 * @property {string} osRelease content of /etc/os-release
 */

/** @param {string} program @returns {Promise<System>} what a program needs */
export const readSystem = async (program) => {
  const libraries = await librariesOf(program);
  return { libraries, packages: await packagesOf(libraries), osRelease: readFileSync('/etc/os-release', 'utf8') };
};

/** Like `debian-12`. @param {string} osRelease */
export const distributionOf = (osRelease) =>
  ['ID', 'VERSION_ID'].flatMap((key) => new RegExp(`^${key}="?([^"\n]+)`, 'm').exec(osRelease)?.[1] ?? []).join('-');

/** What tells scanners which distribution the libraries come from. @param {string} osRelease */
const shortRelease = (osRelease) =>
  osRelease
    .split('\n')
    .filter((line) => /^(ID|VERSION_ID|NAME|PRETTY_NAME)=/.test(line))
    .map((line) => `${line}\n`)
    .join('');

/**
 * Lays out everything below Node: libraries, authorities, the two users, /tmp.
 * @param {string} folder that becomes `/`
 * @param {System} system
 * @param {readonly string[]} roots certificates, PEM
 */
export const stageSystem = async (folder, { libraries, packages, osRelease }, roots) => {
  const place = async (/** @type {string} */ path) => {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    return join(folder, path);
  };
  for (const library of libraries) {
    const path = await place(library);
    await copyFile(library, path);
    await chmod(path, 0o755);
  }
  const texts = {
    ...Object.fromEntries(packages.map(({ name, status }) => [`var/lib/dpkg/status.d/${name}`, status])),
    'etc/os-release': shortRelease(osRelease),
    'etc/passwd': `root:x:0:0:root:/:/sbin/nologin\nnonroot:x:${nonRoot}:${nonRoot}:nonroot:/data:/sbin/nologin\n`,
    'etc/group': `root:x:0:\nnonroot:x:${nonRoot}:\n`,
    'etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
    'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
    'etc/ssl/certs/ca-certificates.crt': roots.map((pem) => `${pem.trim()}\n`).join(''),
  };
  for (const [path, text] of Object.entries(texts)) await writeFile(await place(path), text);
  await mkdir(join(folder, 'tmp'), { recursive: true });
  await chmod(join(folder, 'tmp'), 0o1777);
};
