import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** The browser of this machine; undefined where there is none. */
export const browserPath = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
);

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-dev-shm-usage',
  '--remote-debugging-pipe',
];

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** A page of a real browser. */
export interface BrowserPage {
  /** Value of an expression in the page; promises are waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** Errors of the console, refusals of the page's policy among them. */
  readonly errors: string[];
  /** PNG. */
  screenshot(): Promise<Buffer>;
  close(): Promise<void>;
}

/** Opens an address in a new browser with a window of this width. */
export const openInBrowser = async (address: string, width: number): Promise<BrowserPage> => {
  const profile = mkdtempSync(join(tmpdir(), 'relay-browser-'));
  const child = spawn(browserPath ?? '', [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const calls = new Map<number, (message: Message) => void>();
  const errors: string[] = [];
  let ids = 0;
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    for (const each of messages) {
      const message = JSON.parse(each) as Message;
      if (message.id !== undefined) calls.get(message.id)?.(message);
      if (message.method === 'Log.entryAdded' || message.method === 'Runtime.exceptionThrown')
        errors.push(JSON.stringify(message.params));
    }
  });
  const call = async (
    method: string,
    params: object = {},
    sessionId?: string,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const id = (ids += 1);
    const answered = new Promise<Message>((resolve) => calls.set(id, resolve));
    input.write(`${JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) })}\0`);
    const { result = {}, error } = await answered;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  const inPage = (method: string, params: object = {}) => call(method, params, sessionId as string);
  for (const domain of ['Page', 'Log', 'Runtime']) await inPage(`${domain}.enable`);
  await inPage('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 });
  await inPage('Page.navigate', { url: address });
  return {
    errors,
    async evaluate(expression) {
      const { result } = await inPage('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      return (result as { value?: unknown }).value;
    },
    async screenshot() {
      const { data } = await inPage('Page.captureScreenshot', { captureBeyondViewport: true });
      return Buffer.from(data as string, 'base64');
    },
    async close() {
      child.kill('SIGKILL');
      await exited;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
