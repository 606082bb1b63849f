import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { withoutSecret } from '../../delivery/index.ts'
import { bringUpToDate } from '../../gateway/bring-up-to-date.ts'
import { placeOfUrl } from '../../operate/moving/index.ts'
import { createOperatorAudit } from '../../store/audit/index.ts'
import type { ReadOnlyDatabase } from '../../store/database.ts'
import { fileOf } from '../../store/open.ts'
import { newerBeside } from '../../store/schema/steps.ts'
import { type Resealed, reseal } from '../../store/secrets/reseal.ts'
import { secretFileOf } from '../../store/secrets/sandbox-secret.ts'
import { withDatabase } from '../settings.ts'
import { counted, Failed, type OutputFlags, output, say, withJson } from '../terminal.ts'
import { type StoreFlags, withAudit, withParts, withReader, withStore } from './store.ts'

/** Copies the current state of an SQLite database into an empty file. Writes may continue meanwhile. */
async function copyInto(database: ReadOnlyDatabase, path: string): Promise<void> {
  await database.read(({ run }) => run('VACUUM INTO $1', [path]))
}

export function backupCommand(): Command {
  return withJson(withDatabase(new Command('backup')))
    .description('Copy the current state of an SQLite database into a new file while the gateway runs.')
    .argument('<file>', 'the file to create; an existing file is not overwritten')
    .action(backUp)
}

async function backUp(file: string, flags: StoreFlags & OutputFlags): Promise<void> {
  const secretFile = await withReader(flags, async (database, config) => {
    if (database.engine === 'postgres') {
      throw new Failed(
        `PostgreSQL is backed up with its own program: pg_dump --format=custom --file=${file} <database>`,
        2,
      )
    }
    await copyToNewFile(database, file)
    return secretFileIn(config)
  })
  const bytes = statSync(file).size
  output(flags, { file, bytes }, '')
  say(`Copied the database to ${file} (${bytes} bytes).`)
  if (secretFile) say(`Its secret is not in it: copy ${secretFile} as well, to ${secretFileOf(file)}.`)
}

/** The file with the secret, which is needed to open the sealed values in the copy. */
function secretFileIn({ secret, database: url }: Config): string | undefined {
  const file = fileOf(url)
  if (secret !== undefined || file === undefined) return undefined
  return existsSync(secretFileOf(file)) ? secretFileOf(file) : undefined
}

/** Creates the file first, readable by its owner only because it holds secrets. Two backups never share a file. */
async function copyToNewFile(database: ReadOnlyDatabase, file: string): Promise<void> {
  const handle = makeFile(file)
  try {
    await copyInto(database, file)
    fsyncSync(handle)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(handle)
  }
}

function makeFile(file: string): number {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') throw new Failed(`expected the name of a new file, but ${file} already exists`)
    if (code === 'ENOENT') throw new Failed(`there is no folder for ${file}`)
    throw error
  }
}

export function migrateCommand(): Command {
  return withJson(withDatabase(new Command('migrate')))
    .description('Bring the database up to date, as the gateway does when it starts.')
    .action(migrateNow)
}

async function migrateNow(flags: StoreFlags & OutputFlags): Promise<void> {
  const { taken, waiting, gateways, beside, place } = await withStore(flags, async (database, config) => ({
    ...(await bringUpToDate(database, config)),
    place: placeOfUrl(config.database),
  }))
  output(flags, { database: place, steps: taken, waiting, gateways }, taken.join('\n'))
  if (beside.length > 0) say(`${newerBeside(beside)}.`)
  for (const step of waiting) say(`${step} waits: it takes away what ${gateways.join(', ')} still uses.`)
  if (waiting.length > 0)
    say(
      `This version works without it. Restart older gateways of ${place} with this version, then run wigwag migrate again.`,
    )
  else say(`The database ${place} ${taken.length === 0 ? 'was' : 'is'} up to date.`)
}

export function secretCommand(): Command {
  const again = withJson(withAudit(new Command('reseal')))
    .description(
      'Seal everything in the database again with WIGWAG_SECRET, in place of WIGWAG_SECRET_PREVIOUS.',
    )
    .addHelpText(
      'after',
      '\nEvery gateway must have both secrets when this runs: otherwise it is refused. If it is interrupted, run it again.',
    )
    .action(sealAgain)
  return new Command('secret')
    .description('The secret of the gateway, which seals secrets in the database.')
    .addCommand(again)
}

async function sealAgain(flags: StoreFlags & OutputFlags): Promise<void> {
  const { total, resealed, stuck } = await withParts(flags, async (parts) => {
    const { database } = parts
    const boxes = parts.boxes()
    const lacking = withoutSecret(await parts.carriers.reports(), boxes[0].name)
    if (lacking.length > 0) throw new Failed(refusal(lacking))
    const done = await reseal(database, boxes)
    const audit = createOperatorAudit(parts)
    await database.write((tx) => audit(tx, { action: 'secret.reseal', detail: counts(done) }))
    return done
  })
  output(flags, { total, resealed, stuck }, '')
  say(
    `${counted(resealed, 'value was', 'values were')} sealed again; ${total} are sealed with the secret now.`,
  )
  for (const hint of stuck) say(`No secret opens ${hint}.`)
  if (stuck.length > 0) throw new Failed(`${counted(stuck.length, 'sealed value')} could not be opened`)
}

function refusal(gateways: readonly string[]): string {
  const names = gateways.join(', ')
  return `WIGWAG_SECRET: expected every gateway to know it, and ${names} ${gateways.length === 1 ? 'does' : 'do'} not: restart with it and WIGWAG_SECRET_PREVIOUS, then run this again. A gateway that was killed counts for half a minute.`
}

function counts({ total, resealed, stuck }: Resealed) {
  return { total, resealed, stuck: stuck.length }
}
