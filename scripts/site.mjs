/**
 * Builds the site of the docs into docs/.vitepress/dist. It is a project of its own, which is installed at its first build.
 * Plain JavaScript without dependencies, for whatever Node there is: nothing else of the clone has to be installed.
 *
 *   npm run site                            builds it
 *   npm run site -- --serve [--port 4173]   builds it and shows it on this machine
 *
 * SITE_BASE is the path below which it is published, such as /wigwag/.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const docs = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs')
const built = join(docs, '.vitepress', 'dist')
const base = process.env.SITE_BASE ?? '/'
const { values } = parseArgs({
  options: { serve: { type: 'boolean', default: false }, port: { type: 'string', default: '4173' } },
})

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

try {
  await install()
  await run(process.execPath, [join(docs, 'node_modules/vitepress/bin/vitepress.js'), 'build', docs], docs)
  if (values.serve) serve(Number(values.port))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

/** `npm ci`, when it was not done yet for this lock file. */
async function install() {
  const stamp = join(docs, 'node_modules', '.installed')
  const lock = createHash('sha256')
    .update(readFileSync(join(docs, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  console.error('Installing what builds the site (once) …')
  const npm = process.env.npm_execpath
  const [command, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm']
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run(command, [...first, 'ci', ...flags], docs)
  writeFileSync(stamp, lock)
}

function run(command, args, cwd) {
  const shell = process.platform === 'win32' && command === 'npm'
  const child = spawn(command, args, { cwd, shell, stdio: ['ignore', 'inherit', 'inherit'] })
  const end = () => {
    child.kill()
    process.exitCode = 143
  }
  process.once('SIGTERM', end)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => {
      process.off('SIGTERM', end)
      if (status === 0) resolve()
      else reject(new Error(`${command} ${args.join(' ')} failed.`))
    })
  })
}

/** Shows what was built, on the loopback address alone. */
function serve(port) {
  const server = createServer((request, response) => {
    const file = fileAt(new URL(request.url ?? '/', 'http://localhost').pathname)
    const type = TYPES[extname(file ?? '')] ?? 'application/octet-stream'
    response.writeHead(file ? 200 : 404, { 'content-type': file ? type : TYPES['.html'] })
    response.end(readFileSync(file ?? join(built, '404.html')))
  })
  server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}${base}`))
}

/** The file of an address; undefined where there is none. */
function fileAt(pathname) {
  if (!pathname.startsWith(base)) return undefined
  const file = join(built, normalize(`/${decodeURIComponent(pathname.slice(base.length))}`))
  return [file, join(file, 'index.html')].find((path) => existsSync(path) && statSync(path).isFile())
}
