import { hash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { Verdict } from '../model.ts';
import type { Html } from './parts.ts';
import { script } from './script.ts';
import { styles } from './styles.ts';

const allowed = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** Value of Content-Security-Policy for the page: its script, its styles, calls to this server, nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  `script-src ${allowed(script)}`,
  `style-src ${allowed(styles)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const marks: Readonly<Record<Verdict['level'], string>> = { ok: '', warning: '(!) ', critical: '(!!) ' };

/** What a browser shows of the page while another one is in front. */
export const titleOf = ({ level, text }: Pick<Verdict, 'level' | 'text'>): string =>
  level === 'ok' ? 'ranger-relay' : `${marks[level]}${text} – ranger-relay`;

/** Content that the browser loads every second: only the title and the parts. */
export const renderParts = (title: string, parts: Html): Html => html`<!doctype html><title>${title}</title>${parts}`;

/** Its text must equal that of the policy's hash exactly. */
const element = (name: 'style' | 'script', text: string): Html => raw(`<${name}>${text}</${name}>`);

/** The whole page, in one piece without outside resources. */
export const renderPage = (title: string, parts: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${element('style', styles)}
      </head>
      <body>
        <header>
          <h1>ranger-relay</h1>
        </header>
        <main>
          <p id="lost" role="alert" hidden></p>
          ${parts}
        </main>
        <footer>
          <a href="/status.json">status.json</a><a href="/activity.json">activity.json</a><a href="/metrics">metrics</a>
        </footer>
        ${element('script', script)}
      </body>
    </html> `;
