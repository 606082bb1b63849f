import { signInSuite } from './sign-in.suite.ts'

signInSuite('PostgreSQL')
