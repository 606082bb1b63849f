import { Argument, Command } from 'commander'
import { print } from '../terminal.ts'
import { bashScript, completed, fishScript, zshScript } from './shells.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }
type Shell = keyof typeof SCRIPTS

export function completionCommand(): Command {
  return new Command('completion')
    .description('Print what lets a shell complete the commands and their options.')
    .addArgument(new Argument('<shell>', 'the shell that you use').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', HELP)
    .action(printScript)
}

const HELP = `
To install it, run the line of your shell once, and open a new terminal:
  bash  echo 'source <(wigwag completion bash)' >> ~/.bashrc
  zsh   echo 'source <(wigwag completion zsh)' >> ~/.zshrc
  fish  wigwag completion fish > ~/.config/fish/completions/wigwag.fish`

function printScript(shell: Shell, _flags: unknown, command: Command): void {
  const program = command.parent
  if (!program) throw new Error('completion is no command of a program')
  print(SCRIPTS[shell](completed(program)).trimEnd())
}
