/**
 * Whether the caller may, by its `Authorization` header (platform contract, runner).
 * @throws RelayError when that cannot be told now
 */
export type Authenticate = (authorization: string | undefined) => Promise<boolean>;

/** Everybody may. */
export const takeEverybody: Authenticate = async () => true;

const longest = 16_384;

/** The token of a bearer header; undefined when there is none. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  authorization === undefined || authorization.length > longest
    ? undefined
    : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
