import { mkdirSync, readdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { requireAccount } from '../../accounts/index.ts'
import { createBeginExport, EXPORTED, exportName, exportRows } from '../../privacy/index.ts'
import { type StoreFlags, withAudit, withParts } from '../operator/store.ts'
import { Failed, type OutputFlags, output, say, table, withJson } from '../terminal.ts'

interface ExportFlags extends StoreFlags, OutputFlags {
  out?: string
}

export function accountExportCommand(): Command {
  return withJson(withAudit(new Command('export')))
    .description('Write everything of an account into files of JSON lines, without its secrets.')
    .argument('<account>', 'its ID or e-mail')
    .option('--out <folder>', 'an empty or new folder (default: wigwag-export-<account ID>)')
    .action(exportAccount)
}

async function exportAccount(idOrEmail: string, flags: ExportFlags): Promise<void> {
  const result = await withParts(flags, async (parts, { showCarriers }) => {
    const { database } = parts
    const { id } = await database.read((tx) => requireAccount(tx, idOrEmail))
    const folder = flags.out ?? `wigwag-export-${id}`
    makeFolder(folder)
    await createBeginExport(parts)(id)
    const files: { file: string; rows: number }[] = []
    for (const name of EXPORTED) {
      const file = `${exportName(name)}.jsonl`
      files.push({
        file,
        rows: await writeRows(exportRows(database, id, name, showCarriers), join(folder, file)),
      })
    }
    return { accountId: id, folder, files }
  })
  output(
    flags,
    result,
    table(
      ['FILE', 'ROWS'],
      result.files.map(({ file, rows }) => [file, rows]),
    ),
  )
  say(
    `Everything of account ${result.accountId} is in ${result.folder}. It holds personal data: delete it after use.`,
  )
}

async function writeRows(rows: ReturnType<typeof exportRows>, path: string): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  try {
    let written = 0
    for await (const row of rows) {
      await file.write(`${JSON.stringify(row)}\n`)
      written++
    }
    return written
  } finally {
    await file.close()
  }
}

/** The folder is readable by its owner only. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') throw new Failed(`there is no folder to make ${folder} in`)
    if (code !== 'EEXIST') throw error
    const isEmpty = isEmptyFolder(folder)
    if (!isEmpty)
      throw new Failed(`--out: expected an empty or new folder, but ${folder} has something in it`)
  }
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0
  } catch {
    return false
  }
}
