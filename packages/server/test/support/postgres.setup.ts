import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/store/open.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { forkPostgres } from './postgres.fork.ts'
import { connectTo, type FreshPostgres, makeDatabase } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL server that tests may make databases on. */
    postgresUrl: string
    /** A database there that has the schema and no rows, to be copied. */
    postgresTemplate: string
  }
}

/**
 * Gives the whole run one PostgreSQL: the one that TEST_POSTGRES_URL names, or an embedded one. The latter
 * lives in a separate process, which ends it when this one is gone, however it went. The schema is made there once:
 * most tests copy it, which takes a quarter of the time.
 */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_POSTGRES_URL
  const server = given ? { url: given, stop: async () => {} } : await forkPostgres()
  const template = await makeTemplate(server.url)
  project.provide('postgresUrl', server.url)
  project.provide('postgresTemplate', nameOf(template))
  return async function stopPostgres() {
    await dropAll(server.url, template)
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

/** The databases that workers kept are named after the template. */
async function dropAll(server: string, template: FreshPostgres): Promise<void> {
  const client = await connectTo(server)
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [`${nameOf(template)}_`],
  )
  for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`)
  await client.end()
  await template.drop()
}

function nameOf({ url }: FreshPostgres): string {
  return new URL(url).pathname.slice(1)
}
