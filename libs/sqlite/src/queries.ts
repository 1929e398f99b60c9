import { failureOf, type ReadRequest, type ReadResult } from './protocol.ts';
import { isTooBig, type Statements } from './statements.ts';

const rowsOf = (statements: Statements, { sql, params, maxBytes }: ReadRequest, wide: boolean) => {
  const statement = statements.get(sql);
  return maxBytes === undefined ? statement.run(params, wide) : statement.page(params, wide, maxBytes);
};

/** Runs one query; its exception becomes its result. */
export const runRead = (statements: Statements, request: ReadRequest, wide = false): ReadResult => {
  try {
    return { rows: rowsOf(statements, request, wide) };
  } catch (error) {
    return isTooBig(error) && !wide ? runRead(statements, request, true) : { failure: failureOf(error) };
  }
};
