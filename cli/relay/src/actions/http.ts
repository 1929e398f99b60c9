import { createHttpClient, type HttpClient } from '@ranger-relay/http';
import type { Clock } from '@ranger-relay/runtime';

/** A client that applies the network rules of the services. */
export const guardedClient = (clock: Clock, allowedNetworks: readonly string[], upstream: string): HttpClient =>
  createHttpClient({ clock, allowedNetworks, userAgent: 'ranger-relay', upstream });

/** A client for addresses that the user names: any address is allowed. */
export const openClient = (clock: Clock, upstream: string): HttpClient =>
  guardedClient(clock, ['0.0.0.0/0', '::/0'], upstream);
