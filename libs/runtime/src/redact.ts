/** What stands in the place of a secret everywhere. */
export const mask = '**********';

const secretKey = /passw|secret|token|api_?key|private_key|authorization|credential/i;

const redactUrl = (text: string): string =>
  text.replaceAll(
    /\b(https?:\/\/)([^\s/@?#]+@)?([^\s?#]*)(\?[^\s#]*)?/gi,
    (_, scheme: string, user: string | undefined, rest: string, query: string | undefined) =>
      `${scheme}${user ? `${mask}@` : ''}${rest}${query ? `?${mask}` : ''}`,
  );

const walk = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return value.includes('://') ? redactUrl(value) : value;
  if (value === null || typeof value !== 'object' || value instanceof Error) return value;
  if (depth === 0) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => walk(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      secretKey.test(key) && item !== null && typeof item !== 'boolean' && typeof item !== 'number'
        ? [key, mask]
        : [key, walk(item, depth - 1)],
    ),
  );
};

/**
 * A copy without secrets: members whose key says secret, and the user info and query of URLs
 * (contracts, activity log: secret fields). Depth and list lengths are bounded.
 */
export const redact = <T>(value: T): T => walk(value, 8) as T;
