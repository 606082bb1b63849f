import { project } from '../vitest.workspace.ts'

export default project('scripts')
