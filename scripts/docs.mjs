// Writes the generated sections of the documents, and the dashboards: npm run docs
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderDashboards } from './dashboards/render.mjs';
import { renderDocuments } from './docs/render.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

for (const { file, is, should } of [...(await renderDocuments(root)), ...(await renderDashboards(root))]) {
  if (is !== should) writeFileSync(join(root, file), should);
  process.stdout.write(`${file} ${is === should ? 'is up to date' : 'written'}\n`);
}
