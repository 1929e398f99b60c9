import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseExactJson, type FormDocument } from '@ranger-relay/site';
import { createDurably } from './durable.ts';
import type { RunFiles } from './files.ts';

const parsed = (content: string): unknown => {
  try {
    return parseExactJson(content);
  } catch {
    return undefined;
  }
};

/**
 * Keeps the document that a run is about to replace, beside its record (bundle contract, 7). A run that is resumed may replace a second one,
 * which somebody has made of the first since: each keeps its own file, the second with a number.
 * @returns the name of the file
 */
export const keepFormBefore = async ({ formBefore }: RunFiles, document: FormDocument): Promise<string> => {
  for (let count = 1; ; count += 1) {
    const path = count === 1 ? formBefore : formBefore.replace(/\.json$/, `-${count}.json`);
    const there = await readFile(path, 'utf8').catch(() => undefined);
    if (there === undefined) await createDurably(path, `${JSON.stringify(document, null, 2)}\n`);
    else if (!isDeepStrictEqual(parsed(there), parseExactJson(JSON.stringify(document)))) continue;
    return basename(path);
  }
};
