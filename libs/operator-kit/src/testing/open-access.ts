import type { Access } from '../access/access.ts';

/** Access to a server without TLS and login. */
export const openAccess = (server: string): Access => ({
  server,
  namespace: 'operators',
  credentials: () => Promise.resolve({ headers: {}, tls: {} }),
  refused: () => undefined,
});
