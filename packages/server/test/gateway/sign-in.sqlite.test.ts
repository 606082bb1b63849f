import { signInSuite } from './sign-in.suite.ts'

signInSuite('an SQLite file')
signInSuite('SQLite in memory')
