import type { Json } from './json.ts';

/** A request that is answered with a status of failure. */
export class Failure extends Error {
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly Json[];

  constructor(code: number, reason: string, message: string, causes: readonly Json[] = []) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
  }
}

/** The object that an API server describes a failure with. */
export const statusOf = ({ code, reason, message, causes }: Failure): Json => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  details: { causes },
  code,
});

export const notFound = (what: string): Failure => new Failure(404, 'NotFound', `${what} not found`);

export const gone = (version: string): Failure => new Failure(410, 'Expired', `too old resource version: ${version}`);
