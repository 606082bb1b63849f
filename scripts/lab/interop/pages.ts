import { operatingPages } from '../../test/operating/page.ts'
import { runPage } from '../../test/operating/run.ts'
import type { Check } from './check.ts'
import { startPostgres } from './postgres.ts'

/** The commands of docs/operating that need PostgreSQL's own programs, on Debian's PostgreSQL. */
export async function pages(folder: string, check: Check): Promise<void> {
  const server = await startPostgres(folder)
  try {
    for (const page of operatingPages().filter(({ blocks }) =>
      blocks.some(({ runBy }) => runBy === 'interop'),
    ))
      await check(`each command works, in order: ${page.file}`, async () => {
        const name = page.file.replace(/\W+/g, '_')
        await server.createDatabase(name)
        await runPage(page, { by: 'interop', postgresUrl: server.urlOf(name) })
      })
  } finally {
    await server.stop()
  }
}
