// Writes the generated sections of the documents, the dashboards, and what of them and of the alerts is in the charts: npm run docs
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartCopies, makeFolderOf } from './dashboards/copies.mjs';
import { renderDashboards } from './dashboards/render.mjs';
import { renderDocuments } from './docs/render.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @param {readonly { file: string, is: string, should: string }[]} files */
const write = (files) => {
  for (const { file, is, should } of files) {
    makeFolderOf(root, file);
    if (is !== should) writeFileSync(join(root, file), should);
    process.stdout.write(`${file} ${is === should ? 'is up to date' : 'written'}\n`);
  }
};

write([...(await renderDocuments(root)), ...(await renderDashboards(root))]);
write(chartCopies(root));
