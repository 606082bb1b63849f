import { type RatesFile, readRatesText } from '../../money/index.ts'
import { readCsvFile, refuseMistakes } from '../messages/csv-file.ts'

/** Reads a whole price list. If any row is wrong, the command fails and lists all wrong rows. */
export async function readRatesFile(file: string): Promise<RatesFile> {
  const read = await readCsvFile(file, readRatesText)
  refuseMistakes(file, read.mistakes)
  return read
}
