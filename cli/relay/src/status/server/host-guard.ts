import type { MiddlewareHandler } from 'hono';

const hostName = (header: string): string => header.toLowerCase().replace(/:\d{1,5}$/, '');

/** Whether a Host header names this machine. A page of another site whose name leads here (DNS rebinding) does not. */
export const isLocalHost = (header: string | undefined): boolean =>
  header !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(hostName(header));

/** Answers 403 unless the request was meant for this machine, and 405 to everything that is no reading. */
export const hostGuard: MiddlewareHandler = async (c, next) => {
  if (!isLocalHost(c.req.header('host')))
    return c.json(
      { detail: { code: 'host_refused', error: 'Open this page as http://127.0.0.1 or http://localhost' } },
      403,
    );
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD')
    return c.json({ detail: { code: 'method_refused', error: 'Only GET is answered here' } }, 405, {
      Allow: 'GET, HEAD',
    });
  return next();
};
