import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { markdown, type Figure } from '../../src/bench/table.ts';

const out = fileURLToPath(new URL('../../out/', import.meta.url));
const file = `${out}kubernetes.json`;

const written = (): Figure[] => {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { figures: Figure[] }).figures;
  } catch {
    return [];
  }
};

/** Puts figures into the report of this run and tells them; `e2e/out/kubernetes.json` holds all of them. */
export const report = (log: (text: string) => void, figures: readonly Figure[]): void => {
  mkdirSync(out, { recursive: true });
  const names = new Set(figures.map(({ name }) => name));
  const all = [...written().filter(({ name }) => !names.has(name)), ...figures];
  writeFileSync(file, `${JSON.stringify({ figures: all }, null, 2)}\n`);
  log(`\n${markdown(figures)}`);
};
