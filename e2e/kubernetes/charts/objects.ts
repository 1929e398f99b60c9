import { parseAllDocuments } from 'yaml';

/** An object of the API server, as far as all of them are alike. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly [more: string]: unknown;
}

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
