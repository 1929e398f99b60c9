import { cutText } from '@ranger-relay/errors';
import type { HttpRequest } from './port.ts';

const longest = 200;

/** `METHOD host/path` of a request, without user info and query; what errors and answers are named by. */
export const targetOf = (method: HttpRequest['method'], url: URL | null): string => {
  if (!url) return `${method} (unreadable address)`;
  const place = `${url.host}${url.pathname}`;
  return `${method} ${cutText(place, longest, '…')}`;
};
