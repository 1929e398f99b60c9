import type { KubeObject as Kube } from '../harness/wire.ts';
import { parseAllDocuments } from 'yaml';

/** An object of any kind, as far as all of them are alike. */
export type KubeObject = Kube & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly [more: string]: unknown;
};

/**
 * The objects of a stream of YAML, read as the API server's own reader does: `on` and `yes` are switches, `0440` is octal.
 * @throws a sentence with the place of what cannot be read
 */
export const objectsOf = (text: string): readonly KubeObject[] =>
  parseAllDocuments(text, { version: '1.1' }).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw error;
    const object: unknown = document.toJS();
    return object === null ? [] : [object as KubeObject];
  });
