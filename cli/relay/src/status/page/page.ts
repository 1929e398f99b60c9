import { hash } from 'node:crypto';
import { markup } from './markup.ts';
import { drawScript } from './script-draw.ts';
import { helpersScript } from './script-helpers.ts';
import { pollScript } from './script-poll.ts';
import { styles } from './styles.ts';

/** The status page and the policy under which a browser must show it. */
export interface Page {
  readonly html: string;
  /** Value of Content-Security-Policy: this script, these styles, calls to this server, nothing else. */
  readonly policy: string;
}

/** The browser script, whole. */
export const script = [helpersScript, drawScript, pollScript].join('');

const allowed = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

// An empty picture keeps browsers from asking for one.
const icon = '<link rel="icon" href="data:,">';

/** Makes the page, in one piece without outside resources. */
export const renderPage = (): Page => ({
  html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ranger-relay</title>
${icon}
<style>${styles}</style>
</head>
<body>${markup}<script>${script}</script>
</body>
</html>
`,
  policy: [
    "default-src 'none'",
    `script-src ${allowed(script)}`,
    `style-src ${allowed(styles)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
});
