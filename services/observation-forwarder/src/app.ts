import { baseApp, type Context } from '@ranger-relay/runtime';

/** The forwarder's HTTP side: health and metrics, which serving adds, and nothing else. */
export const createApp = (context: Pick<Context, 'log' | 'clock'>): ReturnType<typeof baseApp> => baseApp(context);
