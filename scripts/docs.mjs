// Writes the generated sections of the documents, the dashboards and the list of options of sync-tool: npm run docs
import { fileURLToPath } from 'node:url';
import { renderDashboards } from './dashboards/render.mjs';
import { renderDocuments, renderOptions } from './docs/render.mjs';
import { writeGenerated } from './generated.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

writeGenerated(root, [...(await renderDocuments(root)), ...(await renderDashboards(root)), await renderOptions(root)]);
