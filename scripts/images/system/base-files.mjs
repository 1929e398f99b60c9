import { contentOf, fileContent } from '../content.mjs';
import { nonRoot } from '../user.mjs';

/** @typedef {import('../tar.mjs').Entry} Entry @typedef {import('./packages.mjs').SystemPackage} SystemPackage */

/** @param {string} path @param {string} text @returns {Entry} */
const text = (path, text) => ({ path, mode: 0o644, content: contentOf(text) });

/** What tells scanners which distribution the libraries come from. @param {string} release content of /etc/os-release */
const release = (release) =>
  release
    .split('\n')
    .filter((line) => /^(ID|VERSION_ID|NAME|PRETTY_NAME)=/.test(line))
    .map((line) => `${line}\n`)
    .join('');

/**
 * Everything below Node: libraries, authorities, the two users, where one may write.
 * @param {object} from
 * @param {readonly string[]} from.libraries absolute paths on this machine
 * @param {readonly SystemPackage[]} from.packages what they belong to
 * @param {readonly string[]} from.roots certificates, PEM
 * @param {string} from.osRelease
 * @returns {Entry[]}
 */
export const baseFiles = ({ libraries, packages, roots, osRelease }) => [
  ...libraries.map((path) => ({ path: path.slice(1), mode: 0o755, content: fileContent(path) })),
  ...packages.map(({ name, status }) => text(`var/lib/dpkg/status.d/${name}`, status)),
  text('etc/os-release', release(osRelease)),
  text('etc/passwd', `root:x:0:0:root:/:/sbin/nologin\nnonroot:x:${nonRoot}:${nonRoot}:nonroot:/data:/sbin/nologin\n`),
  text('etc/group', `root:x:0:\nnonroot:x:${nonRoot}:\n`),
  text('etc/hosts', '127.0.0.1 localhost\n::1 localhost\n'),
  text('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
  text('etc/ssl/certs/ca-certificates.crt', roots.map((pem) => `${pem.trim()}\n`).join('')),
  { path: 'tmp', mode: 0o1777 },
  { path: 'data', mode: 0o700, owner: nonRoot },
];
