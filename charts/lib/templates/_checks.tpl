{{/* Keys that are written elsewhere stop the rendering with what to do, and values with what they take where the schema cannot say it in short. */}}
{{- define "lib.checkHints" -}}
{{- $found := dict -}}
{{- range $path, $hint := .facts.hints -}}
{{- $parent := splitList "." $path | initial | join "." -}}
{{- if $parent -}}
{{- include "lib.at" (list $.Values $parent $found) -}}
{{- else -}}
{{- $_ := set $found "value" $.Values -}}
{{- end -}}
{{- if kindIs "invalid" $found.value -}}
{{- else if and (hasKey (ternary $found.value dict (kindIs "map" $found.value)) (splitList "." $path | last)) -}}
{{- include "lib.fail" (list $ (printf "%s is not a value of this chart; %s" $path $hint)) -}}
{{- end -}}
{{- end -}}
{{- include "lib.checkForms" . -}}
{{- end -}}

{{- define "lib.checkForms" -}}
{{- range .facts.forms -}}
{{- include "lib.checkForm" (list $ . "" $.Values (splitList "." .path)) -}}
{{- end -}}
{{- end -}}

{{/* Checks one value, or that of each item of a list: context, form, path so far, what is there, and the keys that follow. */}}
{{- define "lib.checkForm" -}}
{{- $root := index . 0 -}}
{{- $form := index . 1 -}}
{{- $path := index . 2 -}}
{{- $value := index . 3 -}}
{{- $keys := index . 4 -}}
{{- if kindIs "slice" $value -}}
{{- range $index, $item := $value -}}
{{- include "lib.checkForm" (list $root $form (printf "%s[%d]" $path $index) $item $keys) -}}
{{- end -}}
{{- else if and $keys (kindIs "map" $value) -}}
{{- if hasKey $value (first $keys) -}}
{{- include "lib.checkForm" (list $root $form (printf "%s.%s" $path (first $keys)) (get $value (first $keys)) (rest $keys)) -}}
{{- end -}}
{{- else if not (or $keys (kindIs "invalid" $value)) -}}
{{- include "lib.checkSetting" (list $root (merge (dict "path" (trimPrefix "." $path)) $form) (include "lib.text" $value)) -}}
{{- end -}}
{{- end -}}

{{/* Everything else that cannot work, each with one sentence. */}}
{{- define "lib.check" -}}
{{- include "lib.checkImage" . -}}
{{- include "lib.checkKafka" . -}}
{{- include "lib.checkRedis" . -}}
{{- include "lib.checkVariables" . -}}
{{- include "lib.checkSchedules" . -}}
{{- include "lib.checkHost" . -}}
{{- include "lib.checkDoors" . -}}
{{- include "lib.checkMonitor" . -}}
{{- include "lib.checkScaling" . -}}
{{- include "lib.checkPod" . -}}
{{- end -}}

{{- define "lib.checkRequired" -}}
{{- $found := dict -}}
{{- range .facts.required -}}
{{- include "lib.at" (list $.Values .path $found) -}}
{{- if not $found.value -}}
{{- include "lib.fail" (list $ (printf "%s is not set; give it here or as global.%s: %s" .path .path .about)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "lib.checkImage" -}}
{{- if and (eq .Values.image.tag "latest") (not .Values.image.digest) -}}
{{- include "lib.fail" (list . "image.tag is latest, which is another image each day; give a version or image.digest") -}}
{{- end -}}
{{- end -}}

{{- define "lib.checkKafka" -}}
{{- $kafka := .Values.kafka -}}
{{- $sasl := $kafka.sasl -}}
{{- if and (not $kafka.tls.enabled) (or $kafka.tls.ca $kafka.tls.certificate) -}}
{{- include "lib.fail" (list . "kafka.tls.ca or kafka.tls.certificate is given, but kafka.tls.enabled is false, so nothing would be encrypted; set it to true") -}}
{{- end -}}
{{- if and (eq $sasl.mechanism "none") (or $sasl.username $sasl.password) -}}
{{- include "lib.fail" (list . "kafka.sasl.username or kafka.sasl.password is given, but kafka.sasl.mechanism is none; set it to plain, scram-sha-256 or scram-sha-512") -}}
{{- end -}}
{{- if and (ne $sasl.mechanism "none") (not $sasl.username) -}}
{{- include "lib.fail" (list . (printf "kafka.sasl.mechanism is %s, but kafka.sasl.username is not set" $sasl.mechanism)) -}}
{{- end -}}
{{- end -}}

{{- define "lib.checkRedis" -}}
{{- $redis := .Values.redis -}}
{{- $sentinels := $redis.sentinels -}}
{{- if and $redis.host $sentinels.nodes -}}
{{- include "lib.fail" (list . "redis.host and redis.sentinels.nodes are both set; keep one of them") -}}
{{- end -}}
{{- if not (or $redis.host $sentinels.nodes) -}}
{{- include "lib.fail" (list . "redis.host is not set, nor redis.sentinels.nodes; give one of them here or under global.redis") -}}
{{- end -}}
{{- /* With one colon it is host:port, with more an IPv6 address, without brackets as the service takes it. */}}
{{- if and (contains ":" $redis.host) (not (regexMatch "^[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*$" $redis.host)) -}}
{{- include "lib.fail" (list . (printf "redis.host is %s, but takes a host alone; its port goes to redis.port" $redis.host)) -}}
{{- end -}}
{{- if not ($redis.port | int64) -}}
{{- include "lib.fail" (list . "redis.port is 0, but takes a port from 1 to 65535") -}}
{{- end -}}
{{- if eq ($redis.databases.state | int64) ($redis.databases.config | int64) -}}
{{- include "lib.fail" (list . "redis.databases.state and redis.databases.config are the same; each takes a database of its own") -}}
{{- end -}}
{{- if and $redis.tls.ca (not $redis.tls.enabled) -}}
{{- include "lib.fail" (list . "redis.tls.ca is given, but redis.tls.enabled is false, so nothing would be encrypted; set it to true") -}}
{{- end -}}
{{- if and $sentinels.password (not $sentinels.nodes) -}}
{{- include "lib.fail" (list . "redis.sentinels.password is given, but redis.sentinels.nodes is not") -}}
{{- end -}}
{{- if and $sentinels.username (not $sentinels.nodes) -}}
{{- include "lib.fail" (list . "redis.sentinels.username is given, but redis.sentinels.nodes is not") -}}
{{- end -}}
{{- end -}}

{{/* Rules between variables, as the services have them. */}}
{{- define "lib.checkVariables" -}}
{{- $values := dict -}}
{{- range $name := list "WEBHOOK_AUTH" "WEBHOOK_TRUSTED_PROXIES" "WEBHOOK_MAX_BODY_BYTES" "WEBHOOK_MAX_BUFFERED_BYTES" "MAX_ACTION_EXECUTION_TIME" "PUSH_TIMEOUT_S" "AUTH_MODE" "INTEGRATION_SERVICE_URL" "PUSHER_SERVICE_URL" "RUNNER_SERVICE_URL" "AUTH_OIDC_ISSUER" "AUTH_OIDC_SERVICE_ACCOUNT" -}}
{{- $found := dict -}}
{{- include "lib.variable" (list $ $name $found) -}}
{{- $_ := set $values $name $found.value -}}
{{- end -}}
{{- if and (eq $values.WEBHOOK_AUTH "gateway") (not $values.WEBHOOK_TRUSTED_PROXIES) -}}
{{- include "lib.fail" (list . "config.WEBHOOK_AUTH is gateway, but config.WEBHOOK_TRUSTED_PROXIES does not say from which networks") -}}
{{- end -}}
{{- if lt ($values.WEBHOOK_MAX_BUFFERED_BYTES | int64) ($values.WEBHOOK_MAX_BODY_BYTES | int64) -}}
{{- include "lib.fail" (list . (printf "config.WEBHOOK_MAX_BUFFERED_BYTES is %s, but must be at least WEBHOOK_MAX_BODY_BYTES (%s)" $values.WEBHOOK_MAX_BUFFERED_BYTES $values.WEBHOOK_MAX_BODY_BYTES)) -}}
{{- end -}}
{{- if and $values.PUSH_TIMEOUT_S (lt ($values.MAX_ACTION_EXECUTION_TIME | int64) (add 30 ($values.PUSH_TIMEOUT_S | int64))) -}}
{{- include "lib.fail" (list . (printf "config.MAX_ACTION_EXECUTION_TIME is %s, but PUSH_TIMEOUT_S=%s needs at least %d" $values.MAX_ACTION_EXECUTION_TIME $values.PUSH_TIMEOUT_S (add 30 ($values.PUSH_TIMEOUT_S | int64)))) -}}
{{- end -}}
{{- if eq $values.AUTH_MODE "oidc" -}}
{{- $audience := "the audience of tokens" -}}
{{- range list (list "INTEGRATION_SERVICE_URL" $audience) (list "PUSHER_SERVICE_URL" $audience) (list "RUNNER_SERVICE_URL" $audience) (list "AUTH_OIDC_ISSUER" "who issues tokens") (list "AUTH_OIDC_SERVICE_ACCOUNT" "the only caller") -}}
{{- $name := index . 0 -}}
{{- if and (hasKey $.facts.variables $name) (not (get $values $name)) -}}
{{- include "lib.fail" (list $ (printf "config.AUTH_MODE is oidc, but config.%s is not set, which is %s" $name (index . 1))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The kubelet asks for health over the address of the pod, as everybody else does. */}}
{{- define "lib.checkHost" -}}
{{- $found := dict -}}
{{- include "lib.variable" (list . "HOST" $found) -}}
{{- if regexMatch "^(?:127\\..*|localhost|::1)$" ($found.value | default "") -}}
{{- include "lib.fail" (list . (printf "config.HOST is %s, where nothing outside the pod reaches it, nor does the kubelet; leave it out" $found.value)) -}}
{{- end -}}
{{- end -}}

{{- define "lib.checkDoors" -}}
{{- $ingress := .Values.ingress -}}
{{- $route := .Values.httpRoute -}}
{{- range $name, $door := dict "ingress" $ingress "httpRoute" $route -}}
{{- if and $door.enabled (not $.facts.serves) -}}
{{- include "lib.fail" (list $ (printf "%s.enabled is true, but this service takes no requests" $name)) -}}
{{- end -}}
{{- end -}}
{{- if and $ingress.enabled (not $ingress.hosts) -}}
{{- include "lib.fail" (list . "ingress.enabled is true, but ingress.hosts names no host") -}}
{{- end -}}
{{- if and $route.enabled (not $route.parentRefs) -}}
{{- include "lib.fail" (list . "httpRoute.enabled is true, but httpRoute.parentRefs names no Gateway") -}}
{{- end -}}
{{- if .facts.serves -}}
{{- include "lib.checkService" . -}}
{{- if eq (.Values.ports.http | int64) (.Values.ports.health | int64) -}}
{{- include "lib.fail" (list . (printf "ports.http and ports.health are both %d; keep them apart, so that nobody reads metrics through the door" (.Values.ports.http | int64))) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "lib.checkService" -}}
{{- $service := .Values.service -}}
{{- if and (eq $service.type "ClusterIP") (or $service.nodePort $service.externalTrafficPolicy) -}}
{{- include "lib.fail" (list . "service.nodePort or service.externalTrafficPolicy is given, but service.type is ClusterIP, which is not reached from outside") -}}
{{- end -}}
{{- if and (ne $service.type "LoadBalancer") $service.loadBalancerSourceRanges -}}
{{- include "lib.fail" (list . (printf "service.loadBalancerSourceRanges is given, but service.type is %s" $service.type)) -}}
{{- end -}}
{{- end -}}

{{- define "lib.checkMonitor" -}}
{{- if and .Values.serviceMonitor.enabled .Values.networkPolicy.enabled (not .Values.networkPolicy.metrics.from) -}}
{{- include "lib.fail" (list . "serviceMonitor.enabled is true, but networkPolicy.metrics.from lets nobody read the metrics; name the namespace of Prometheus there") -}}
{{- end -}}
{{- if gt (include "lib.durationMs" .Values.serviceMonitor.scrapeTimeout | int64) (include "lib.durationMs" .Values.serviceMonitor.interval | int64) -}}
{{- include "lib.fail" (list . (printf "serviceMonitor.scrapeTimeout (%s) is above serviceMonitor.interval (%s)" .Values.serviceMonitor.scrapeTimeout .Values.serviceMonitor.interval)) -}}
{{- end -}}
{{- end -}}

{{/* Most pods that find something to read; 0 where that is no question. */}}
{{- define "lib.mostReaders" -}}
{{- ternary 0 (.Values.keda.partitions | default 0 | int64) (empty .facts.consumes) -}}
{{- end -}}

{{- define "lib.checkScaling" -}}
{{- $scaling := .Values.autoscaling -}}
{{- $keda := .Values.keda -}}
{{- $most := include "lib.mostReaders" . | int64 -}}
{{- if and $scaling.enabled $keda.enabled -}}
{{- include "lib.fail" (list . "autoscaling.enabled and keda.enabled are both true, and would undo each other; keep one of them") -}}
{{- end -}}
{{- if and $keda.enabled (not .facts.consumes) -}}
{{- include "lib.fail" (list . "keda.enabled is true, but this service reads no topic that could lag; use autoscaling") -}}
{{- end -}}
{{- if $scaling.enabled -}}
{{- include "lib.checkRange" (list . "autoscaling" $scaling $most) -}}
{{- if and (kindIs "invalid" $scaling.targetCPU) (kindIs "invalid" $scaling.targetMemory) -}}
{{- include "lib.fail" (list . "autoscaling.enabled is true, but neither autoscaling.targetCPU nor autoscaling.targetMemory says what to aim at") -}}
{{- end -}}
{{- else if $keda.enabled -}}
{{- include "lib.checkRange" (list . "keda" $keda $most) -}}
{{- if and .facts.serves (not ($keda.minReplicas | int64)) -}}
{{- include "lib.fail" (list . "keda.minReplicas is 0, but requests and schedules need a pod also when no record waits; give at least 1") -}}
{{- end -}}
{{- else if and $most (gt (.Values.replicas | int64) $most) -}}
{{- include "lib.fail" (list . (printf "replicas is %d, but there are %d partitions (keda.partitions): one pod more would have nothing to read" (.Values.replicas | int64) $most)) -}}
{{- end -}}
{{- include "lib.checkBudget" . -}}
{{- end -}}

{{- define "lib.checkRange" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $range := index . 2 -}}
{{- $most := index . 3 -}}
{{- if gt ($range.minReplicas | int64) ($range.maxReplicas | int64) -}}
{{- include "lib.fail" (list $root (printf "%s.minReplicas (%d) is above %s.maxReplicas (%d)" $name ($range.minReplicas | int64) $name ($range.maxReplicas | int64))) -}}
{{- end -}}
{{- if and $most (gt ($range.maxReplicas | int64) $most) -}}
{{- include "lib.fail" (list $root (printf "%s.maxReplicas is %d, but there are %d partitions (keda.partitions): one pod more would have nothing to read" $name ($range.maxReplicas | int64) $most)) -}}
{{- end -}}
{{- end -}}

{{/* A budget that nothing can keep, or that no drain can get past. */}}
{{- define "lib.checkBudget" -}}
{{- $budget := .Values.podDisruptionBudget -}}
{{- $scaler := include "lib.scaler" . -}}
{{- $least := ternary .Values.replicas (get .Values $scaler | default dict).minReplicas (empty $scaler) | int64 -}}
{{- if $budget.enabled -}}
{{- $hasMost := not (kindIs "invalid" $budget.maxUnavailable) -}}
{{- $hasLeast := not (kindIs "invalid" $budget.minAvailable) -}}
{{- if and (not $least) (ne $scaler "keda") -}}
{{- include "lib.fail" (list . "replicas is 0, so podDisruptionBudget keeps nothing; set podDisruptionBudget.enabled to false") -}}
{{- end -}}
{{- if eq $hasMost $hasLeast -}}
{{- include "lib.fail" (list . "podDisruptionBudget takes one of maxUnavailable and minAvailable; set the other to null") -}}
{{- end -}}
{{- if and $hasLeast (ge ($budget.minAvailable | int64) $least) -}}
{{- include "lib.fail" (list . (printf "podDisruptionBudget.minAvailable is %d, but there may be only %d pods, so no node could be drained; use maxUnavailable" ($budget.minAvailable | int64) $least)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Nothing asks for more than its limit, and memory has one: context, place of the values, requests and limits. */}}
{{- define "lib.checkResources" -}}
{{- $place := index . 1 -}}
{{- $resources := index . 2 -}}
{{- if not $resources.limits.memory -}}
{{- include "lib.fail" (list (index . 0) (printf "%s.limits.memory is not set, but the heap of the process follows from it" $place)) -}}
{{- end -}}
{{- if not (index $resources.limits "ephemeral-storage") -}}
{{- include "lib.fail" (list (index . 0) (printf "%s.limits.ephemeral-storage is not set, but it is the most that /tmp takes" $place)) -}}
{{- end -}}
{{- range $name, $request := $resources.requests -}}
{{- $limit := index $resources.limits $name -}}
{{- if and (not (kindIs "invalid" $request)) (not (kindIs "invalid" $limit)) -}}
{{- if gt (include "lib.amount" $request | float64) (include "lib.amount" $limit | float64) -}}
{{- include "lib.fail" (list (index $ 0) (printf "%s.requests.%s (%s) is above %s.limits.%s (%s)" $place $name (include "lib.text" $request) $place $name (include "lib.text" $limit))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "lib.checkPod" -}}
{{- include "lib.checkResources" (list . "resources" .Values.resources) -}}
{{- if not (or .Values.serviceAccount.create .Values.serviceAccount.name) -}}
{{- include "lib.fail" (list . "serviceAccount.create is false, but serviceAccount.name does not say which account is used") -}}
{{- end -}}
{{- range $name := list "prometheusRule" "dashboards" -}}
{{- $files := ternary "files/alerts.yaml" "files/dashboards/*.json" (eq $name "prometheusRule") -}}
{{- if and (get $.Values $name).enabled (not ($.Files.Glob $files)) -}}
{{- include "lib.fail" (list $ (printf "%s.enabled is true, but this chart has none (%s)" $name $files)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
