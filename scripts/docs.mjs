// Writes the generated sections of the documents, the dashboards and the list of options of sync-tool: npm run docs
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderDashboards } from './dashboards/render.mjs';
import { renderDocuments, renderOptions } from './docs/render.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const files = [...(await renderDocuments(root)), ...(await renderDashboards(root)), await renderOptions(root)];
for (const { file, is, should } of files) {
  if (is !== should) writeFileSync(join(root, file), should);
  process.stdout.write(`${file} ${is === should ? 'is up to date' : 'written'}\n`);
}
