import type { TestProject } from 'vitest/node'
import { migrate } from '../../src/platform/database/migrate.ts'
import { openDatabase } from '../../src/platform/database/open.ts'
import { forkPostgres } from './postgres.fork.ts'
import { type FreshPostgres, makeDatabase } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL server that tests may make databases on. */
    postgresUrl: string
    /** A database there that has the schema and no rows, to be copied. */
    postgresTemplate: string
  }
}

/**
 * Gives the whole run one PostgreSQL: the one that WIGWAG_TEST_POSTGRES_URL names, or an embedded one. The latter
 * lives in a separate process, which ends it when this one is gone, however it went. The schema is made there once:
 * most tests copy it, which takes a quarter of the time.
 */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.WIGWAG_TEST_POSTGRES_URL
  const server = given ? { url: given, stop: async () => {} } : await forkPostgres()
  const template = await makeTemplate(server.url)
  project.provide('postgresUrl', server.url)
  project.provide('postgresTemplate', new URL(template.url).pathname.slice(1))
  return async function stopPostgres() {
    await template.drop()
    await server.stop()
  }
}

async function makeTemplate(server: string): Promise<FreshPostgres> {
  const template = await makeDatabase(server, 'template0')
  const fail = (error: Error) => {
    throw error
  }
  const database = openDatabase({
    url: template.url,
    postgresConnections: 1,
    onFatal: fail,
    onIdleError: fail,
  })
  await migrate(database)
  await database.close()
  return template
}
