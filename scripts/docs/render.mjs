import { execFileSync } from 'node:child_process';
import { generatedFile } from '../generated.mjs';
import { documents } from './documents.mjs';
import { withSection } from './sections.mjs';

/** Every document with generated sections as it is and as it should be. @param {string} root */
export const renderDocuments = (root) => {
  const files = [...new Set(documents.map(({ file }) => file))];
  return Promise.all(
    files.map((file) =>
      generatedFile(root, file, (is) =>
        documents
          .filter((document) => document.file === file)
          .reduce((text, { section, render }) => withSection(text, section, render()), is),
      ),
    ),
  );
};

/** The file with all options of sync-tool as it is and as it should be. @param {string} root */
export const renderOptions = (root) => {
  const call = ['--conditions=@ranger-relay/source', 'cli/sync-tool/src/main.ts', 'completion', 'json'];
  const table = execFileSync(process.execPath, call, { cwd: root, encoding: 'utf8' });
  return generatedFile(root, 'cli/sync-tool/options.json', table);
};
