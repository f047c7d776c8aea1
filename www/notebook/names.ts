/** What an address of a file begins with on the page of a notebook, where no server has it. The build reads this too. */
export const ADDRESS = 'unnorm:';
