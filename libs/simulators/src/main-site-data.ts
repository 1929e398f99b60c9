// The site under the name by which pulls start it.
export * from './main-site.ts';
