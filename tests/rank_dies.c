/* A rank that dies, or stops, where all ranks wait for each other. Loaded before finf-mpi;
 * RANK_DIES="2 init kill" names the rank, where (init, finalize) and how (kill, stop). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int PMPI_Init_thread(int *argc, char ***argv, int needed, int *given);
int PMPI_Finalize(void);
int MPI_Init_thread(int *argc, char ***argv, int needed, int *given);
int MPI_Finalize(void);

static void die_in(const char *where)
{
    const char *asked = getenv("RANK_DIES"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    char of[16], in[16], how[16];
    if (!asked || !rank || sscanf(asked, "%15s %15s %15s", of, in, how) != 3) return;
    if (strcmp(of, rank) != 0 || strcmp(in, where) != 0) return;
    if (strcmp(how, "kill") == 0) raise(SIGKILL);
    for (;;) pause();
}

int MPI_Init_thread(int *argc, char ***argv, int needed, int *given)
{
    die_in("init");
    return PMPI_Init_thread(argc, argv, needed, given);
}

int MPI_Finalize(void)
{
    die_in("finalize");
    return PMPI_Finalize();
}
