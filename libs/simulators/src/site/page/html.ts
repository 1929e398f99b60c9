/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

const isHtml = (value: unknown): value is Html => typeof value === 'object' && value !== null && 'html' in value;

const shown = (value: unknown): string => {
  if (Array.isArray(value) && value.every(isHtml)) return value.map((part) => part.html).join('');
  return isHtml(value) ? value.html : textOf(value).replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
};

/** HTML from a template; whatever is put in is escaped unless it is HTML itself. */
export const html = (parts: TemplateStringsArray, ...values: readonly unknown[]): Html => ({
  html: parts.map((part, index) => (index === 0 ? part : shown(values[index - 1]) + part)).join(''),
});

/** Most rows that a table shows. */
const mostRows = 200;

/** A table with a caption; rows beyond the limit are only counted. */
export const table = (caption: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): Html => {
  const more = rows.length - mostRows;
  return html`<section>
    <h2>${caption} <small>${String(rows.length)}</small></h2>
    <table>
      <tr>
        ${columns.map((name) => html`<th>${name}</th>`)}
      </tr>
      ${rows.slice(0, mostRows).map(
        (row) =>
          html`<tr>
            ${row.map((cell) => html`<td>${cell}</td>`)}
          </tr> `,
      )}
    </table>
    ${more > 0 ? html`<p>and ${String(more)} more</p>` : html``}
  </section> `;
};
