/** Browser script, first part: building elements and writing values. Texts go in as text only. */
export const helpersScript = String.raw`
'use strict';
const byId = (id) => document.getElementById(id);

const make = (tag, className, ...children) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const child of children) {
    if (child === null || child === undefined) continue;
    element.append(typeof child === 'object' ? child : document.createTextNode(String(child)));
  }
  return element;
};

const fill = (id, ...children) => byId(id).replaceChildren(...children);

const count = (n) => (typeof n === 'number' ? String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f') : '–');

const span = (seconds) => {
  if (seconds < 60) return (seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)) + ' s';
  if (seconds < 3600) return Math.round(seconds / 60) + ' min';
  if (seconds < 172800) return Math.round(seconds / 360) / 10 + ' h';
  return Math.round(seconds / 86400) + ' d';
};

const ago = (iso) => {
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  if (!(seconds >= 1)) return iso ? 'now' : 'never';
  return span(seconds) + ' ago';
};

const clockTime = (iso) => {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? '' : at.toTimeString().slice(0, 8);
};

const object = (value) => (typeof value === 'object' && value !== null ? value : {});
`;
