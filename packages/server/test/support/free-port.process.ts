/** Says which ports it was given, and keeps them until its standard input ends. */
import { freePort } from './free-port.ts'

const ports: number[] = []
for (let count = 0; count < Number(process.argv[2]); count++) ports.push(await freePort())
process.stdout.write(`${JSON.stringify(ports)}\n`)
process.stdin.resume()
process.stdin.once('end', () => process.exit())
