import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { crds } from '@ranger-relay/operator';

/** Writes the definitions of the operator's kinds, as the schemas of its code say them. */
const folder = new URL('../services/operator/crds/', import.meta.url);
for (const [name, crd] of Object.entries(crds()))
  await writeFile(
    new URL(name, folder),
    `# Written by scripts/crds.mjs; change services/operator/src/api instead.\n${stringify(crd, { lineWidth: 0, singleQuote: true })}`,
  );
