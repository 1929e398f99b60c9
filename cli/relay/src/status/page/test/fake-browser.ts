import { createContext, runInContext } from 'node:vm';
import { markup } from '../markup.ts';
import { script } from '../page.ts';

/** As much of a document's element as the page's script uses. */
export class FakeElement {
  className = '';
  hidden = false;
  readonly dataset: Record<string, string> = {};
  children: (FakeElement | string)[] = [];
  readonly tag: string;

  constructor(tag: string) {
    this.tag = tag;
  }

  append(child: FakeElement | string): void {
    this.children.push(child);
  }

  replaceChildren(...children: (FakeElement | string)[]): void {
    this.children = children;
  }

  get textContent(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.textContent)).join('');
  }

  set textContent(text: string) {
    this.children = [text];
  }

  /** The elements below, this one left out. */
  get all(): FakeElement[] {
    return this.children.flatMap((child) => (typeof child === 'string' ? [] : [child, ...child.all]));
  }

  querySelector(tag: string): FakeElement | undefined {
    return this.all.find((element) => element.tag === tag);
  }
}

/** What the server answers, by path without its query; a function is called, an error is a connection that fails. */
export type Answers = Record<string, unknown>;

/** Runs the page's script against scripted answers. */
export const openPage = async (answers: Answers) => {
  const ids = [...markup.matchAll(/id="([^"]+)"/g)].map(([, id = '']) => id);
  const elements = new Map(ids.map((id) => [id, new FakeElement('div')]));
  const asked: string[] = [];
  const timer: { task: (() => void) | undefined } = { task: undefined };
  const context = createContext({
    document: {
      hidden: false,
      getElementById: (id: string) => elements.get(id) ?? null,
      createElement: (tag: string) => new FakeElement(tag),
      createTextNode: (text: string) => text,
      addEventListener: () => undefined,
    },
    fetch: async (path: string) => {
      asked.push(path);
      const answer = answers[path.split('?')[0] ?? ''];
      if (answer instanceof Error) throw runInContext('new TypeError("Failed to fetch")', context);
      return { ok: true, status: 200, ...(answer as object) };
    },
    setTimeout: (task: () => void) => {
      timer.task = task;
      return 1;
    },
    clearTimeout: () => undefined,
  });
  const settle = async (): Promise<void> => {
    while (timer.task === undefined) await new Promise((resolve) => setImmediate(resolve));
  };
  runInContext(script, context);
  await settle();
  return {
    asked,
    element: (id: string): FakeElement => {
      const element = elements.get(id);
      if (!element) throw new Error(`the page has no ${id}`);
      return element;
    },
    /** A second later. */
    async again(): Promise<void> {
      const { task } = timer;
      timer.task = undefined;
      task?.();
      await settle();
    },
  };
};

/** An answer of 200 with this body. */
export const json = (body: unknown): object => ({ json: async () => body });
