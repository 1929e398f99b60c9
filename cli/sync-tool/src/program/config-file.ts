import { dirname, resolve } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import { closestTo } from '@ranger-relay/runtime';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { reasonOf } from '../bundle/files/read-lines.ts';
import type { Disk } from '../run/machine.ts';

const text = z.string().trim().min(1);

const fileSchema = z.object({
  bundle: z.object({ path: text.optional() }).optional(),
  site: z.object({ endpoint: text.optional(), token: text.optional() }).optional(),
  ext: z.object({ timezone: text.optional(), timezone_variable: text.optional(), word: text.optional() }).optional(),
});

const sections: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(fileSchema.shape).map(([name, section]) => [name, Object.keys(section.unwrap().shape)]),
);
const known = Object.entries(sections).flatMap(([section, keys]) => keys.map((key) => `${section}.${key}`));

/** The keys of a configuration file; a flag overrides its key. */
export interface FileSettings {
  readonly bundle?: string;
  readonly endpoint?: string;
  readonly token?: string;
  readonly timezone?: string;
  readonly timezoneVariable?: string;
  readonly word?: string;
}

const bad = (path: string, reason: string): RelayError =>
  new RelayError('config_file_invalid', { details: { path, reason } });

const parsed = (path: string, content: string, lines: LineCounter): Document => {
  // Warnings are off, because they would quote lines and a line may contain a token; so do the messages of errors.
  const document = parseDocument(content, { logLevel: 'error', lineCounter: lines });
  const [error] = document.errors;
  if (error) throw bad(path, `line ${lines.linePos(error.pos[0]).line} is no YAML`);
  return document;
};

const valueOf = (path: string, document: Document): unknown => {
  try {
    // An empty file counts as no settings.
    return document.toJS() ?? {};
  } catch {
    throw bad(path, 'it is no YAML');
  }
};

interface Key {
  readonly section: string | undefined;
  readonly name: string;
  readonly line: number;
}

/** The keys of a file that are not keys of this tool. */
const unknownKeys = ({ contents }: Document, lines: LineCounter): Key[] => {
  const keysOf = (node: unknown, section?: string): (Key & { readonly value: unknown })[] =>
    isMap(node)
      ? node.items.map(({ key, value }) => {
          const at = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
          return { section, name: isScalar(key) ? String(key.value) : '', line: lines.linePos(at).line, value };
        })
      : [];
  return keysOf(contents).flatMap((key) => {
    const own = Object.hasOwn(sections, key.name) ? sections[key.name] : undefined;
    if (!own) return [key];
    return keysOf(key.value, key.name).filter(({ name }) => !own.includes(name));
  });
};

/** The key that was probably meant: one of the section, otherwise of another one, otherwise a section. */
const meantBy = ({ section, name }: Key): string | undefined => {
  const own = section === undefined ? Object.keys(sections) : sections[section];
  const near = closestTo(name, own ?? []);
  if (near !== undefined) return section === undefined ? near : `${section}.${near}`;
  const leaf = closestTo(name.split('.').at(-1) ?? '', Object.values(sections).flat());
  return known.find((path) => leaf !== undefined && path.endsWith(`.${leaf}`));
};

/** A key is only named when it looks like one: a token in a broken line is not repeated. */
const named = ({ section, name }: Key): string => {
  if (!/^[A-Za-z][A-Za-z_.-]{0,29}$/.test(name)) return 'a key';
  return section === undefined ? name : `${section}.${name}`;
};

/** Explains the first key that is not one of this tool: it would be ignored, and with it what it was meant to assert. */
const explain = (keys: readonly Key[]): string | undefined => {
  const [key, ...others] = keys;
  if (!key) return undefined;
  const meant = meantBy(key);
  const more = others.length === 0 ? '' : ` (${others.length} more after it)`;
  const hint = meant === undefined ? '' : `did you mean ${meant}? `;
  return `line ${key.line}: ${named(key)} is no key of sync-tool${more}; ${hint}Its keys are ${known.join(', ')}`;
};

/** Explains a value that is not what its key takes. */
const wrongValue = (document: Document, lines: LineCounter, keys: readonly string[]): string => {
  const [section = ''] = keys;
  const node = document.getIn(keys, true);
  const line = isNode(node) && node.range ? `line ${lines.linePos(node.range[0]).line}: ` : '';
  if (keys.length === 1) return `${line}${section} takes keys below it, no value; the keys are ${known.join(', ')}`;
  return `${line}${keys.join('.') || 'it'} is no text`;
};

/**
 * Reads a configuration file; a relative bundle path is relative to the file.
 * @throws RelayError `config_file_invalid`, also for a key that the tool does not have
 */
const readConfig = async (disk: Disk, path: string): Promise<FileSettings> => {
  const content = await disk.readFile(path, 'utf8').catch((error: unknown) => {
    throw bad(path, `it ${reasonOf(error)}`);
  });
  const lines = new LineCounter();
  const document = parsed(path, content, lines);
  const value = valueOf(path, document);
  const unknown = explain(unknownKeys(document, lines));
  if (unknown !== undefined) throw bad(path, unknown);
  const found = fileSchema.safeParse(value);
  if (!found.success) throw bad(path, wrongValue(document, lines, (found.error.issues[0]?.path ?? []).map(String)));
  const { bundle, site, ext } = found.data;
  return {
    ...(bundle?.path === undefined ? {} : { bundle: resolve(dirname(path), bundle.path) }),
    ...(site?.endpoint === undefined ? {} : { endpoint: site.endpoint }),
    ...(site?.token === undefined ? {} : { token: site.token }),
    ...(ext?.timezone === undefined ? {} : { timezone: ext.timezone }),
    ...(ext?.timezone_variable === undefined ? {} : { timezoneVariable: ext.timezone_variable }),
    ...(ext?.word === undefined ? {} : { word: ext.word }),
  };
};

/** Reads the configuration file, if there is one. @throws RelayError `config_file_invalid` */
export const fileSettings = async (
  disk: Disk,
  { config }: { readonly config?: string | undefined },
): Promise<FileSettings> => (config === undefined ? {} : readConfig(disk, config));
