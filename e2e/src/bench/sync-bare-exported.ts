// Reads the patrols of an exported bundle and splits them into tokens, without doing anything with them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createScanner, type SyntaxKind } from 'jsonc-parser';

/** A const enum has no value at run time. */
const endOfText: SyntaxKind = 17;

const [folder = ''] = process.argv.slice(2);
const scanner = createScanner(readFileSync(join(folder, 'patrols.json'), 'utf8'), true);
let tokens = 0;
while (scanner.scan() !== endOfText) tokens += 1;
process.stdout.write(`${tokens}\n`);
