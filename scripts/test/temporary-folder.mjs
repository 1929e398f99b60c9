import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder, which goes with the test. @param {{ teardown: (run: () => void) => void }} t @param {string} parent */
export const temporaryFolder = (t, parent = tmpdir()) => {
  const folder = mkdtempSync(join(parent, 'scripts-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
