/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of GASPI (GASPI Forum 2017, version 17.1) that Summand's window calls, for the stand-in
 * of the tests (gaspi.c). Names and arguments are the standard's, values are ours. */
#pragma once

typedef enum { GASPI_ERROR = -1, GASPI_SUCCESS, GASPI_TIMEOUT, GASPI_QUEUE_FULL } gaspi_return_t;
typedef enum { GASPI_MEM_UNINITIALIZED, GASPI_MEM_INITIALIZED } gaspi_alloc_t;
typedef enum { GASPI_IB, GASPI_ETHERNET } gaspi_network_t;
typedef unsigned int gaspi_uint, gaspi_number_t, gaspi_notification_t;
typedef unsigned short gaspi_rank_t, gaspi_notification_id_t;
typedef unsigned char gaspi_segment_id_t, gaspi_queue_id_t;
typedef unsigned long gaspi_offset_t, gaspi_size_t, gaspi_timeout_t; /* milliseconds */
typedef void *gaspi_pointer_t;

#define GASPI_BLOCK (~0UL)
#define GASPI_TEST 0UL

typedef struct {
    gaspi_network_t network;
    gaspi_uint sn_port;
    struct {
        union {
            struct {
                gaspi_uint port;
            } tcp;
        } params;
    } dev_config;
} gaspi_config_t;

gaspi_return_t gaspi_config_get(gaspi_config_t *config);
gaspi_return_t gaspi_config_set(gaspi_config_t config);
gaspi_return_t gaspi_proc_init(gaspi_timeout_t timeout);
gaspi_return_t gaspi_proc_term(gaspi_timeout_t timeout);
gaspi_return_t gaspi_proc_rank(gaspi_rank_t *rank);
gaspi_return_t gaspi_proc_num(gaspi_rank_t *ranks);
gaspi_return_t gaspi_connect(gaspi_rank_t rank, gaspi_timeout_t timeout);
gaspi_return_t gaspi_segment_alloc(gaspi_segment_id_t id, gaspi_size_t bytes, gaspi_alloc_t policy);
gaspi_return_t gaspi_segment_delete(gaspi_segment_id_t id);
gaspi_return_t gaspi_segment_register(gaspi_segment_id_t id, gaspi_rank_t rank,
                                      gaspi_timeout_t timeout);
gaspi_return_t gaspi_segment_ptr(gaspi_segment_id_t id, gaspi_pointer_t *memory);
gaspi_return_t gaspi_segment_max(gaspi_number_t *most);
gaspi_return_t gaspi_segment_num(gaspi_number_t *number);
gaspi_return_t gaspi_segment_list(gaspi_number_t number, gaspi_segment_id_t *ids);
gaspi_return_t gaspi_queue_num(gaspi_number_t *number);
gaspi_return_t gaspi_notification_num(gaspi_number_t *number);
gaspi_return_t gaspi_transfer_size_max(gaspi_size_t *bytes);
gaspi_return_t gaspi_write(gaspi_segment_id_t from, gaspi_offset_t from_at, gaspi_rank_t rank,
                           gaspi_segment_id_t to, gaspi_offset_t to_at, gaspi_size_t bytes,
                           gaspi_queue_id_t queue, gaspi_timeout_t timeout);
gaspi_return_t gaspi_notify(gaspi_segment_id_t to, gaspi_rank_t rank, gaspi_notification_id_t id,
                            gaspi_notification_t value, gaspi_queue_id_t queue,
                            gaspi_timeout_t timeout);
gaspi_return_t gaspi_write_notify(gaspi_segment_id_t from, gaspi_offset_t from_at,
                                  gaspi_rank_t rank, gaspi_segment_id_t to, gaspi_offset_t to_at,
                                  gaspi_size_t bytes, gaspi_notification_id_t id,
                                  gaspi_notification_t value, gaspi_queue_id_t queue,
                                  gaspi_timeout_t timeout);
gaspi_return_t gaspi_notify_waitsome(gaspi_segment_id_t id, gaspi_notification_id_t begin,
                                     gaspi_number_t number, gaspi_notification_id_t *first,
                                     gaspi_timeout_t timeout);
gaspi_return_t gaspi_notify_reset(gaspi_segment_id_t id, gaspi_notification_id_t notification,
                                  gaspi_notification_t *old);
gaspi_return_t gaspi_wait(gaspi_queue_id_t queue, gaspi_timeout_t timeout);
