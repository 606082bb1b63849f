import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'

/** The two column kinds that both engines have, for each of them. */
export const postgresColumns = {
  table: pg.pgTable,
  text: <T extends string = string>() => pg.text().$type<T>(),
  bigint: <T extends number = number>() => pg.bigint({ mode: 'number' }).$type<T>(),
}
export type Columns = typeof postgresColumns

/** Cast like `sqliteQueries`: the builders of both engines make tables that queries cannot tell apart. */
export const sqliteColumns = {
  table: lite.sqliteTable,
  text: () => lite.text(),
  bigint: () => lite.integer(),
} as unknown as Columns
